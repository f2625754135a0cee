//! Tests of the prompt as a whole.
