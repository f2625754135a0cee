//! What the terminal allows: colour and width.

use std::io::IsTerminal as _;

use carelock_core::report::TextStyle;

use crate::cli::Colour;

/// How text is to be written to standard output, or to a file.
pub(crate) fn text_style(colour: Colour, to_file: bool) -> TextStyle {
    let stdout = std::io::stdout();
    let automatic = || {
        // Honours NO_COLOR, CLICOLOR and what the terminal can do.
        !to_file && anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never
    };
    let color = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => automatic(),
    };
    TextStyle { color, width: width(to_file || !stdout.is_terminal()), unicode: true, full: true }
}

/// The terminal's width within reason; 80 columns where there is no terminal.
fn width(unknown: bool) -> usize {
    const WIDEST: usize = 100;
    const NARROWEST: usize = 40;
    let terminal = terminal_size::terminal_size().filter(|_| !unknown);
    terminal.map_or(80, |(width, _)| usize::from(width.0).clamp(NARROWEST, WIDEST))
}
