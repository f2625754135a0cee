//! ChatGPT's data export.
