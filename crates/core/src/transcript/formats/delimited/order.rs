//! The order of rows by a column of numbers or dates.

/// The places of the values in their order; nothing when they are neither all numbers nor all dates of one shape.
pub(super) fn sorted(values: &[&str]) -> Option<Vec<usize>> {
    let values: Vec<&str> = values.iter().map(|value| value.trim()).collect();
    // The sorts are stable: rows with the same value stay as they stand.
    let mut places: Vec<usize> = (0..values.len()).collect();
    if let Some(numbers) = all(&values, |value| value.parse::<i128>().ok()) {
        places.sort_by_key(|&place| numbers[place]);
    } else if let Some(numbers) = all(&values, |value| value.parse::<f64>().ok().filter(|number| number.is_finite())) {
        places.sort_by(|&left, &right| numbers[left].total_cmp(&numbers[right]));
    } else if are_dates(&values) {
        places.sort_by_key(|&place| values[place]);
    } else {
        return None;
    }
    Some(places)
}

fn all<T>(values: &[&str], parse: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    values.iter().map(|value| parse(value)).collect()
}

/// Whether all values are ISO dates written alike, so that they sort as text.
fn are_dates(values: &[&str]) -> bool {
    let Some(first) = values.first() else {
        return false;
    };
    let is_iso = |value: &str| shape(value).starts_with("0000-00-00");
    values.iter().all(|value| is_iso(value) && shape(value) == shape(first) && zone(value) == zone(first))
}

fn shape(value: &str) -> String {
    value.chars().map(|character| if character.is_ascii_digit() { '0' } else { character }).collect()
}

/// The time zone behind an ISO time; times of two zones do not sort as text.
fn zone(value: &str) -> &str {
    let start = value.char_indices().nth(10).map_or(value.len(), |(at, _)| at);
    value[start..].find(['+', '-', 'Z']).map_or("", |at| &value[start + at..])
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn numbers_sort_as_numbers_and_equal_ones_stay() {
        assert_eq!(sorted(&["10", "9", " 2 ", "9"]), Some(vec![2, 1, 3, 0]));
        assert_eq!(sorted(&["1.5", "-2", "1e0"]), Some(vec![1, 2, 0]));
        assert_eq!(sorted(&["1710000000000000001", "1710000000000000000"]), Some(vec![1, 0]));
    }

    #[test]
    fn dates_of_one_shape_sort_as_dates() {
        assert_eq!(sorted(&["2024-03-12 10:16", "2024-03-12 10:15"]), Some(vec![1, 0]));
        assert_eq!(sorted(&["2024-03-12T10:16:00Z", "2024-03-12T09:16:00Z"]), Some(vec![1, 0]));
    }

    #[test]
    fn anything_else_has_no_order() {
        assert_eq!(sorted(&["12/03/2024", "11/03/2024"]), None);
        assert_eq!(sorted(&["1", ""]), None);
        assert_eq!(sorted(&["NaN", "1"]), None);
        assert_eq!(sorted(&["2024-03-12T10:16:00+01:00", "2024-03-12T10:16:00+02:00"]), None);
        assert_eq!(sorted(&["2024-03-12", "2024-03-12 10:00"]), None);
    }
}
