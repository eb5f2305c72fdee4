// report.json: what a run did, step by step.
//
//     {"muslin": "0.1.0", "scene": "drooping", "machine": {"cpu": "...", "threads": 2}, "steps": [
//     {"step": 1, "time": 0.002, "iterations": 12, "residual": 4e-06, "seconds": {"assemble": 0.003, "solve": 0.01}}
//     ,{"step": 2, ...}
//     ], "complete": true, "summary": {"seconds": 12.5}}
//
// One record per line. The file grows under PATH.partial and is valid JSON at all times except while a record is being
// written; "complete" is false until it is finished, when it takes its name.
#ifndef MUS_IO_REPORT_H
#define MUS_IO_REPORT_H

#include "muslin/status.h"

// A named text or number. "seconds.solve" becomes "solve" in an object "seconds". Numbers that are not finite become
// null, whole ones are written as such.
typedef struct mus_report_item {
  const char *name;
  const char *text; // NULL: the number counts
  double number;
  const char *json; // not NULL: this, in place of both
} mus_report_item;

typedef struct mus_report mus_report;

// `head` stands before the steps, after the version.
mus_status mus_report_create(const char *path, int count, const mus_report_item *head, mus_report **report);
// The report that an earlier run left, finished or not. Its head stays as it is.
mus_status mus_report_resume(const char *path, mus_report **report);
// Whole records that are in the report.
int mus_report_steps(const mus_report *report);
// Forgets all but the first `steps`; needed after a resume, before the first new one.
mus_status mus_report_keep(mus_report *report, int steps);
mus_status mus_report_step(mus_report *report, int count, const mus_report_item *items);
// Waits until the records are on the disk.
mus_status mus_report_sync(mus_report *report);
// The run has ended normally.
mus_status mus_report_finish(mus_report *report, int count, const mus_report_item *summary);
// Frees the report; without mus_report_finish() it stays for a resume. NULL is fine.
void mus_report_close(mus_report *report);

#endif
