// A level in one precision, as text for base/both_precisions.h. See level.h.

typedef struct TYPE(mus_lattice_level) {
  const mus_lattice_domain *domain;
  // Each of x, b and r is one vector of 4 fields.
  REAL *x[4];           // u_0, u_1, u_2 and p; displacements that are held keep what they have
  REAL *b[4];           // right-hand sides of their equations
  REAL *r[4];           // residuals
  REAL *delta;          // room for the distributive sweep of pressures: smooth.c
  REAL compressibility; // mu / lambda
  REAL inertia;         // c h^2 / mu; 0: static
} TYPE(mus_lattice_level);

// Memory for the level's variables, all 0.
mus_status NAME(mus_lattice_level_create)(mus_arena *arena, const mus_lattice_domain *domain, double compressibility,
                                          double inertia, TYPE(mus_lattice_level) *out);

// r = b - L x, in the equations of unknowns; elsewhere r stays as it is, which is 0.
void NAME(mus_lattice_residual)(const TYPE(mus_lattice_level) *level);
// The same in a plane across axis 2, and for displacements alone.
void NAME(mus_lattice_plane_residual)(const TYPE(mus_lattice_level) *level, int plane);
void NAME(mus_lattice_face_residual)(const TYPE(mus_lattice_level) *level);

// A sweep over the equations inside, distributive, and some over all variables of the cells of a list, group by group,
// from the last group to the first if `backward`.
void NAME(mus_lattice_sweep)(const TYPE(mus_lattice_level) *level);
// The two ways in which a sweep is made, with the same bits: smooth.c.
void NAME(mus_lattice_sweep_by_stage)(const TYPE(mus_lattice_level) *level);
void NAME(mus_lattice_sweep_in_one_pass)(const TYPE(mus_lattice_level) *level);
void NAME(mus_lattice_sweep_band)(const TYPE(mus_lattice_level) *level, const mus_lattice_list *cells, int sweeps,
                                  int backward);

// Displacements beyond free boundaries, from tractions: b on a face at a free boundary is what acts on it.
void NAME(mus_lattice_extend)(const TYPE(mus_lattice_level) *level);

// b of the coarse level from r of the fine one, and coarse x = 0 ...
void NAME(mus_lattice_restrict)(const TYPE(mus_lattice_level) *fine, const TYPE(mus_lattice_level) *coarse);
// The same for the residual that the fine x leaves; r of the fine level is 0 then.
void NAME(mus_lattice_restrict_residual)(const TYPE(mus_lattice_level) *fine, const TYPE(mus_lattice_level) *coarse);
// ... and x of the fine level += what the coarse x is there.
void NAME(mus_lattice_prolong)(const TYPE(mus_lattice_level) *coarse, const TYPE(mus_lattice_level) *fine);
