// The page, put into the program by the assembler. See page.h.
#include "view/page.h"

__asm__(".section .rodata\n"
        ".balign 16\n"
        "view_page_start:\n"
        ".incbin \"" MUSLIN_VIEW_PAGE "\"\n"
        "view_page_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char view_page_start[], view_page_end[];

const char *view_page(size_t *size) {
  *size = (size_t)(view_page_end - view_page_start);
  return view_page_start;
}
