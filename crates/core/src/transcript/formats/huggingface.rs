//! Hugging Face style columns.
