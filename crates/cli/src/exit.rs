//! Exit codes: what scripts and CI may rely on.

/// Done, and every threshold asked for is met.
pub(crate) const DONE: u8 = 0;
/// Done, but a threshold or gate that was asked about failed, or a report does not hold.
pub(crate) const NOT_MET: u8 = 1;
/// The command line or the input is wrong.
pub(crate) const BAD_INPUT: u8 = 2;
/// Something could not be judged, or a report's scores could not be derived.
pub(crate) const UNSCORED: u8 = 3;

/// Ctrl-C: what shells report for a program that ended on it.
pub(crate) const INTERRUPTED: u8 = 130;

/// The table shown in `--help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0  done, and every threshold asked for is met
  1  done, but a threshold or gate asked for failed, or a report does not hold
  2  the command line or the input is wrong
  3  something could not be judged, or a report cannot be verified";
