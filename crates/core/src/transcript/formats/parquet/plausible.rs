//! A look at a Parquet file's footer and page headers before they are decoded.
//!
//! They are Thrift structs in the compact protocol. The decoder makes room for every list before it has read one
//! element, so a few damaged bytes could ask for gigabytes. Every element takes at least one byte: a list that claims
//! more elements than there are bytes left is damaged, and is refused here. The decoder also takes the kind of a field it
//! knows on trust and would lose its place where the kind is another, so that is looked at too.

/// The magic number that opens and ends a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Deeper than any footer that a writer makes (seven), shallow enough for any stack.
const DEEPEST: usize = 64;

/// Whether the footer's lists can hold what they claim. A file without a footer is left to the decoder's own errors.
pub(super) fn is_plausible(file: &[u8]) -> bool {
    let Some(rest) = file.strip_suffix(MAGIC) else { return true };
    let Some((rest, length)) = rest.split_last_chunk::<4>() else { return true };
    let length = u32::from_le_bytes(*length) as usize;
    let Some(start) = rest.len().checked_sub(length) else { return true };
    Walk::over(&rest[start..]).structure(Shape::File, 0).is_some()
}

/// What the pages of a column claim to unpack to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Claims {
    /// Bytes of all pages.
    pub(super) unpacked: u64,
    /// Values of all data pages, missing ones included.
    pub(super) values: u64,
}

/// What the headers of a column's pages claim, up to the end of the column; nothing where it cannot be.
pub(super) fn page_claims(mut column: &[u8]) -> Option<Claims> {
    let mut claims = Claims::default();
    while !column.is_empty() {
        let mut walk = Walk::over(column);
        walk.structure(Shape::PageHeader, 0)?;
        // The third field is the size of what follows, the second that of the page unpacked.
        let [_, unpacked, size, dictionary, values] = walk.seen;
        let rest = usize::try_from(size).ok().and_then(|size| walk.bytes.get(size..))?;
        // A dictionary that claims more values than it has bytes: the decoder would make room for all of them.
        if dictionary > unpacked {
            return None;
        }
        claims.unpacked = claims.unpacked.saturating_add(u64::try_from(unpacked).ok()?);
        claims.values = claims.values.saturating_add(u64::try_from(values).ok()?);
        column = rest;
    }
    Some(claims)
}

/// The structs of a footer whose fields the decoder knows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    File,
    SchemaElement,
    LogicalType,
    Decimal,
    Time,
    Integer,
    RowGroup,
    SortingColumn,
    ColumnChunk,
    ColumnMetadata,
    Statistics,
    EncodingStatistics,
    SizeStatistics,
    KeyValue,
    PageHeader,
    DataPage,
    DataPage2,
    DictionaryPage,
    /// Any other: walked over, whatever its fields are.
    Other,
}

/// What a field is, in the compact protocol's numbers for kinds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Truth,
    Byte,
    Short,
    Int,
    Long,
    Text,
    List(u8, Shape),
    Struct(Shape),
}

const INT: u8 = 5;
const LONG: u8 = 6;
const TEXT: u8 = 8;
const STRUCT: u8 = 12;

impl Shape {
    /// The kind that a field of this struct must have, where the decoder knows the field.
    fn field(self, number: i64) -> Option<Kind> {
        use Kind::{Byte, Int, List, Long, Short, Struct, Text, Truth};
        let kinds: &[Kind] = match self {
            Self::File => &[
                Int,
                List(STRUCT, Self::SchemaElement),
                Long,
                List(STRUCT, Self::RowGroup),
                List(STRUCT, Self::KeyValue),
                Text,
                List(STRUCT, Self::Other),
                Struct(Self::Other),
                Text,
            ],
            Self::SchemaElement => &[Int, Int, Int, Text, Int, Int, Int, Int, Int, Struct(Self::LogicalType)],
            Self::LogicalType => match number {
                5 => return Some(Struct(Self::Decimal)),
                7 | 8 => return Some(Struct(Self::Time)),
                10 => return Some(Struct(Self::Integer)),
                _ => return Some(Struct(Self::Other)),
            },
            Self::Decimal => &[Int, Int],
            Self::Time => &[Truth, Struct(Self::LogicalType)],
            Self::Integer => &[Byte, Truth],
            Self::RowGroup => {
                &[List(STRUCT, Self::ColumnChunk), Long, Long, List(STRUCT, Self::SortingColumn), Long, Long, Short]
            }
            Self::SortingColumn => &[Int, Truth, Truth],
            Self::ColumnChunk => {
                &[Text, Long, Struct(Self::ColumnMetadata), Long, Int, Long, Int, Struct(Self::Other), Text]
            }
            Self::ColumnMetadata => &[
                Int,
                List(INT, Self::Other),
                List(TEXT, Self::Other),
                Int,
                Long,
                Long,
                Long,
                List(STRUCT, Self::KeyValue),
                Long,
                Long,
                Long,
                Struct(Self::Statistics),
                List(STRUCT, Self::EncodingStatistics),
                Long,
                Int,
                Struct(Self::SizeStatistics),
                Struct(Self::Other),
            ],
            Self::Statistics => &[Text, Text, Long, Long, Text, Text, Truth, Truth],
            Self::EncodingStatistics => &[Int, Int, Int],
            Self::SizeStatistics => &[Long, List(LONG, Self::Other), List(LONG, Self::Other)],
            Self::KeyValue => &[Text, Text],
            Self::PageHeader => &[
                Int,
                Int,
                Int,
                Int,
                Struct(Self::DataPage),
                Struct(Self::Other),
                Struct(Self::DictionaryPage),
                Struct(Self::DataPage2),
            ],
            Self::DataPage => &[Int, Int, Int, Int, Struct(Self::Statistics)],
            Self::DataPage2 => &[Int, Int, Int, Int, Int, Int, Truth, Struct(Self::Statistics)],
            Self::DictionaryPage => &[Int, Int, Truth],
            Self::Other => &[],
        };
        let position = usize::try_from(number).ok()?.checked_sub(1)?;
        kinds.get(position).copied()
    }
}

impl Kind {
    fn is(self, kind: u8) -> bool {
        match self {
            Self::Truth => matches!(kind, 1 | 2),
            Self::Byte => kind == 3,
            Self::Short => kind == 4,
            Self::Int => kind == INT,
            Self::Long => kind == LONG,
            Self::Text => kind == TEXT,
            Self::List(..) => kind == 9,
            Self::Struct(_) => kind == STRUCT,
        }
    }
}

/// What is left of the footer. Every step answers `None` where the bytes end or claim what cannot be.
struct Walk<'a> {
    bytes: &'a [u8],
    /// The first three numbers of a page header, and how many values its dictionary and its data claim.
    seen: [i64; 5],
}

impl<'a> Walk<'a> {
    fn over(bytes: &'a [u8]) -> Self {
        Self { bytes, seen: [0; 5] }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.bytes = self.bytes.get(count..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number that may be negative, written zigzag.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some(i64::try_from(number >> 1).ok()? ^ -i64::from(number & 1 == 1))
    }

    /// A count of things that take at least one byte each.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    fn structure(&mut self, shape: Shape, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let mut last = 0;
        loop {
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == 0 {
                return Some(());
            }
            last = match i64::from(head >> 4) {
                // The field's whole number follows.
                0 => self.signed()?,
                step => last + step,
            };
            let expected = shape.field(last);
            if expected.is_some_and(|expected| !expected.is(kind)) {
                return None;
            }
            match (shape, last) {
                (Shape::PageHeader, 1..=3) => self.seen[last as usize - 1] = self.signed()?,
                (Shape::DictionaryPage, 1) => self.seen[3] = self.signed()?,
                (Shape::DataPage | Shape::DataPage2, 1) => self.seen[4] = self.signed()?,
                // A group's children follow it, at least a byte each.
                (Shape::SchemaElement, 5) => {
                    let children = usize::try_from(self.signed()?).ok()?;
                    if children > self.bytes.len() {
                        return None;
                    }
                }
                // A truth value that is a field lies in the field's kind.
                _ if matches!(kind, 1 | 2) => {}
                _ => self.value(kind, expected, depth)?,
            }
        }
    }

    fn value(&mut self, kind: u8, expected: Option<Kind>, depth: usize) -> Option<()> {
        match (kind, expected) {
            (3, _) => self.skip(1),
            (4..=6, _) => self.number().map(|_| ()),
            (7, _) => self.skip(8),
            (8, _) => {
                let length = self.count()?;
                self.skip(length)
            }
            (9 | 10, Some(Kind::List(element, shape))) => self.list(Some((element, shape)), depth + 1),
            (9 | 10, _) => self.list(None, depth + 1),
            (12, Some(Kind::Struct(shape))) => self.structure(shape, depth + 1),
            (12, _) => self.structure(Shape::Other, depth + 1),
            // No footer has maps, or lists of truth values: the decoder takes those for lists without bytes.
            _ => None,
        }
    }

    fn list(&mut self, expected: Option<(u8, Shape)>, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.count()? } else { usize::from(head >> 4) };
        let kind = head & 0x0f;
        let is_other = expected.is_some_and(|(element, _)| element != kind);
        if count > self.bytes.len() || (is_other && head != 0) {
            return None;
        }
        let element = expected.map(|(_, shape)| Kind::Struct(shape));
        for _ in 0..count {
            self.value(kind, element, depth)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(footer: &[u8]) -> Vec<u8> {
        let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
        [MAGIC, footer, &length, MAGIC].concat()
    }

    #[test]
    fn a_list_longer_than_the_bytes_that_are_left_is_refused() {
        // Field 2 is a list of 2 empty structs; then the same with 14 and with 2^32 claimed.
        assert!(is_plausible(&file(&[0x29, 0x2c, 0, 0, 0])));
        assert!(!is_plausible(&file(&[0x29, 0xec, 0, 0, 0])));
        assert!(!is_plausible(&file(&[0x29, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x10, 0, 0, 0])));
    }

    #[test]
    fn a_field_of_another_kind_than_the_decoder_expects_is_refused() {
        // Field 1 is a number; then a text, a list of truth values, and a field nobody knows.
        assert!(is_plausible(&file(&[0x15, 2, 0])));
        assert!(!is_plausible(&file(&[0x18, 1, 65, 0])));
        assert!(!is_plausible(&file(&[0x19, 0x21, 1, 1, 0])));
        assert!(is_plausible(&file(&[0x05, 60, 2, 0])));
    }

    #[test]
    fn a_group_with_more_children_than_there_are_bytes_is_refused() {
        // A list of two elements, the first of which has 1 child; then 2^30 of them.
        assert!(is_plausible(&file(&[0x29, 0x2c, 0x55, 2, 0, 0, 0])));
        assert!(!is_plausible(&file(&[0x29, 0x2c, 0x55, 0x80, 0x80, 0x80, 0x80, 0x08, 0, 0, 0])));
    }

    #[test]
    fn a_page_that_claims_more_than_its_column_holds_is_refused() {
        // Kind 0, 2 bytes unpacked, 2 bytes packed; then 3 of 2 bytes packed, and a dictionary of 9 values in 2 bytes.
        let two = Some(Claims { unpacked: 2, values: 0 });
        assert_eq!(page_claims(&[0x15, 0, 0x15, 4, 0x15, 4, 0, 7, 7]), two);
        assert_eq!(page_claims(&[0x15, 0, 0x15, 4, 0x15, 6, 0, 7, 7]), None);
        assert_eq!(page_claims(&[0x15, 4, 0x15, 4, 0x15, 4, 0x4c, 0x15, 18, 0, 0, 7, 7]), None);
        assert_eq!(page_claims(&[0x15, 4, 0x15, 4, 0x15, 4, 0x4c, 0x15, 4, 0, 0, 7, 7]), two);
        // A data page of 9 values.
        let nine = Some(Claims { unpacked: 2, values: 9 });
        assert_eq!(page_claims(&[0x15, 0, 0x15, 4, 0x15, 4, 0x2c, 0x15, 18, 0, 0, 7, 7]), nine);
    }

    #[test]
    fn nesting_without_end_is_refused() {
        assert!(!is_plausible(&file(&[0x1c; 4096])));
        assert!(!is_plausible(&file(&[[0x19].as_slice(), &[0x19; 4096]].concat())));
    }

    #[test]
    fn what_has_no_footer_is_left_to_the_decoder() {
        assert!(is_plausible(b""));
        assert!(is_plausible(b"PAR1PAR1"));
        assert!(is_plausible(b"PAR1\xff\xff\xff\xffPAR1"));
    }
}
