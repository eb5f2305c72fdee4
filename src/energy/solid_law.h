// Laws of isotropic elastic solids, as functions of the singular values s_0, s_1, s_2 of the deformation gradient F,
// with signs (svd3.h): an inverted element has a negative one. Written as element functions are, see element.h.
//
// All that an element needs of its energy psi(F), per volume, follows from these (Stomakhin and others 2012; Smith, De
// Goes and Kim 2019): with F = U diag(s) V^T, the second derivative has nine eigenmatrices. Three are mixtures of u_i
// v_i^T, by the eigenvectors of d^2 psi / ds_i ds_j. For each pair of directions there are two more,
//   twist  (u_i v_j^T - u_j v_i^T) / sqrt 2,  eigenvalue (psi_i + psi_j) / (s_i + s_j)
//   flip   (u_i v_j^T + u_j v_i^T) / sqrt 2,  eigenvalue (psi_i - psi_j) / (s_i - s_j)
// whose quotients each law gives in a form that does not divide by what may vanish, or bounds them where they do not
// exist.
#ifndef MUS_ENERGY_SOLID_LAW_H
#define MUS_ENERGY_SOLID_LAW_H

#include "energy/element.h"

// Lame's constants of small strains, Pa.
typedef struct mus_lame {
  mus_uniform mu, lambda;
} mus_lame;

// E in Pa, and Poisson's ratio, -1 < nu < 0.5.
MUS_ELEMENT mus_lame mus_lame_of(mus_uniform young, mus_uniform poisson) {
  mus_lame out = {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
  return out;
}

typedef struct mus_solid_state {
  mus_real energy;       // J/m^3, 0 at rest
  mus_real slope[3];     // d psi / d s_i
  mus_real curvature[9]; // d^2 psi / d s_i d s_j
  mus_real twist[3];     // of the pairs (1, 2), (2, 0), (0, 1)
  mus_real flip[3];
} mus_solid_state;

typedef void mus_solid_law(const mus_lame *lame, const mus_real *s, mus_solid_state *out);

// Co-rotated linear: psi = mu |F - R|^2 + lambda/2 tr(R^T F - I)^2. The twist has no bound where two singular values
// are each other's opposite; it counts as at most so many times 2 mu + 3 lambda there.
#define MUS_TWIST_BOUND 1e3

MUS_ELEMENT void mus_corotated_law(const mus_lame *lame, const mus_real *s, mus_solid_state *out) {
  mus_uniform mu = lame->mu, lambda = lame->lambda, bound = MUS_TWIST_BOUND * (2 * mu + 3 * fabs(lambda));
  mus_real trace = s[0] + s[1] + s[2] - 3, over = 2 * lambda * trace - 4 * mu;
  mus_real least = mus_size(over) / bound; // of the sum of two
  least = mus_select(least > 0, least, mus_all(1));
  out->energy = lambda / 2 * trace * trace;
  for (int i = 0; i < 3; ++i) {
    mus_real sum = s[(i + 1) % 3] + s[(i + 2) % 3];
    sum = mus_select(mus_size(sum) < least, mus_select(sum < 0, -least, least), sum);
    out->energy += mu * (s[i] - 1) * (s[i] - 1);
    out->slope[i] = 2 * mu * (s[i] - 1) + lambda * trace;
    for (int l = 0; l < 3; ++l)
      out->curvature[3 * i + l] = mus_all((i == l ? 2 * mu : 0) + lambda);
    out->twist[i] = 2 * mu + over / sum;
    out->flip[i] = mus_all(2 * mu);
  }
}

// Stable Neo-Hookean (Smith, De Goes and Kim 2018, without the logarithmic barrier): with m = mu and l = lambda + mu,
// which makes small strains those of Lame's constants,
//   psi = m/2 (|F|^2 - 3) + l/2 (J - a)^2 - l/2 (1 - a)^2,  J = det F,  a = 1 + m/l
// It is at rest where F is a rotation, and finite and smooth everywhere.
MUS_ELEMENT void mus_neo_hookean_law(const mus_lame *lame, const mus_real *s, mus_solid_state *out) {
  mus_uniform m = lame->mu, l = lame->lambda + lame->mu;
  mus_real volume = s[0] * s[1] * s[2] - 1, pressure = l * volume - m; // l (J - a)
  out->energy = volume * (l / 2 * volume - m);
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out->energy += m / 2 * (s[i] * s[i] - 1);
    out->slope[i] = m * s[i] + pressure * s[j] * s[k];
    out->curvature[3 * i + i] = m + l * s[j] * s[k] * s[j] * s[k];
    out->curvature[3 * j + k] = out->curvature[3 * k + j] = l * s[i] * s[i] * s[j] * s[k] + pressure * s[i];
    out->twist[i] = m + pressure * s[i];
    out->flip[i] = m - pressure * s[i];
  }
}

// St. Venant and Kirchhoff: psi = mu |E|^2 + lambda/2 tr(E)^2, E = (F^T F - I) / 2. It weakens under compression, and
// does not resist being turned inside out.
MUS_ELEMENT void mus_venant_kirchhoff_law(const mus_lame *lame, const mus_real *s, mus_solid_state *out) {
  mus_uniform mu = lame->mu, lambda = lame->lambda;
  mus_real trace = (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3) / 2, base = lambda * trace - mu;
  out->energy = lambda / 2 * trace * trace;
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    mus_real strain = (s[i] * s[i] - 1) / 2;
    out->energy += mu * strain * strain;
    out->slope[i] = s[i] * (2 * mu * strain + lambda * trace);
    out->curvature[3 * i + i] = 3 * mu * s[i] * s[i] + base + lambda * s[i] * s[i];
    out->curvature[3 * j + k] = out->curvature[3 * k + j] = lambda * s[j] * s[k];
    out->twist[i] = mu * (s[j] * s[j] - s[j] * s[k] + s[k] * s[k]) + base;
    out->flip[i] = mu * (s[j] * s[j] + s[j] * s[k] + s[k] * s[k]) + base;
  }
}

#endif
