// The energy norm of an error, ||x - x_i||_A, estimated from what iterations compute anyway.
//
// Every step makes the square of that norm smaller by a number that is known exactly (Hestenes and Stiefel 1952):
//   ||x - x_i||^2 - ||x - x_{i+1}||^2 = alpha_i r_i.M^-1 r_i      for conjugate gradients
// so that the sum of these terms from i on is a lower bound, and a good one as soon as what is left after them is small
// beside it. How many steps that takes is judged by the terms so far, after Meurant, Papez and Tichy 2021: the rest is
// taken to be at most S times the last term, with S the largest ratio of a sum of terms to its first among the latest.
// So an iterate's error is known a few iterations later where these are slow, and at the next where they are fast.
#ifndef MUS_KRYLOV_ESTIMATE_H
#define MUS_KRYLOV_ESTIMATE_H

typedef struct mus_estimate {
  double *term;  // the caller's; as many numbers as there may be iterations, and one
  int count;     // of terms
  double before; // ||x||^2 - ||x - x_0||^2
  double gained; // the sum of all terms
  int next;      // the first iterate whose error is not known yet
  double since;  // the sum of the terms from there on
  double square; // of the error of the last that is known; infinite: none is
  double rest;   // what is taken to be left after the last term
} mus_estimate;

void mus_estimate_begin(mus_estimate *estimate, double *term, double before);
// Of the next iteration. Methods without a minimum may have negative ones.
void mus_estimate_add(mus_estimate *estimate, double term);
// ||x||_A as far as it is known.
double mus_estimate_solution(const mus_estimate *estimate);
// Whether the error is at most tolerance ||x||_A.
int mus_estimate_is_below(const mus_estimate *estimate, double tolerance);
// Turns the terms into the norms of the errors of all iterates, count + 1 numbers.
void mus_estimate_end(mus_estimate *estimate);

#endif
