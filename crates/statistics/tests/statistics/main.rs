//! The figures against reference values, at their edges, and simulated.

mod coverage;
mod edge_cases;
mod finite;
mod reference;
