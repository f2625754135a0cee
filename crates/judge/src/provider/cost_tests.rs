//! Tests of prices and costs.

use super::*;

fn price(text: &str) -> Price {
    toml::from_str(text).unwrap()
}

fn usage(input: u64, cached: u64, cache_written: u64, output: u64) -> Usage {
    Usage { tokens: Tokens { input, cached, output }, cache_written }
}

const LUNA: &str = "input = 0.10\ncached = 0.01\ncache_write = 0.125\noutput = 0.50\nbatch = 0.5\n\
    long = { above = 272000, input = 0.20, cached = 0.02, cache_write = 0.25, output = 1.00 }";

#[test]
fn a_call_costs_exactly_the_sum_of_its_parts() {
    let mini = price("input = 0.40\ncached = 0.10\noutput = 1.60");
    for (usage, dollars) in [
        (usage(0, 0, 0, 0), "0"),
        (usage(1, 0, 0, 0), "0.0000004"),
        (usage(1_000_000, 0, 0, 1_000_000), "2"),
        (usage(10_000, 8_000, 0, 2_000), "0.0048"),
        (usage(3, 3, 0, 1), "0.0000019"),
    ] {
        assert_eq!(mini.cost(&usage).exact(), dollars, "{usage:?}");
    }
}

#[test]
fn tokens_written_to_the_cache_have_their_own_price() {
    assert_eq!(price(LUNA).cost(&usage(1000, 200, 300, 0)).exact(), "0.0000895");
}

#[test]
fn a_long_prompt_changes_the_price_of_the_whole_call() {
    let luna = price(LUNA);
    assert_eq!(luna.estimate(272_000, 1000).exact(), "0.0277");
    assert_eq!(luna.estimate(272_001, 1000).exact(), "0.0554002");
}

#[test]
fn a_cache_price_that_is_not_stated_is_the_full_price() {
    let plain = price("input = 0.10\noutput = 0.50");
    assert_eq!(plain.cost(&usage(1000, 900, 50, 0)), plain.estimate(1000, 0));
}

#[test]
fn counts_that_cannot_be_are_cut_and_never_overflow() {
    let luna = price(LUNA);
    assert_eq!(luna.cost(&usage(10, 500, 500, 0)), luna.cost(&usage(10, 10, 0, 0)));
    let most = luna.cost(&usage(u64::MAX, 0, 0, u64::MAX));
    assert!(most > Cost::ZERO);
    assert_eq!(Cost::from_picodollars(u128::MAX) + most, Cost::from_picodollars(u128::MAX));
}

#[test]
fn a_batch_costs_its_part_of_the_price() {
    let luna = price(LUNA);
    assert_eq!(luna.batch.unwrap().of(luna.estimate(1_000_000, 0)).exact(), "0.1");
}

#[test]
fn amounts_are_shown_with_digits_that_matter() {
    for (picodollars, shown) in [
        (0, "$0.00"),
        (1, "under $0.000001"),
        (41_000_000, "$0.000041"),
        (9_999_999_999, "$0.010000"),
        (12_345_600_000, "$0.0123"),
        (999_999_000_000, "$1.0000"),
        (12_345_000_000_000, "$12.35"),
    ] {
        assert_eq!(Cost::from_picodollars(picodollars).to_string(), shown);
    }
}

#[test]
fn a_cap_is_read_exactly_and_nonsense_refused() {
    assert_eq!("0.50".parse::<Cost>().unwrap().picodollars(), 500_000_000_000);
    assert_eq!("$2".parse::<Cost>().unwrap().exact(), "2");
    assert_eq!(".5".parse::<Cost>().unwrap().exact(), "0.5");
    for text in ["", "$", ".", "-1", "1e3", "NaN", "0,50", "1.2.3", "0.1234567890123", "9".repeat(60).as_str()] {
        assert!(text.parse::<Cost>().is_err(), "{text}");
    }
}

#[test]
fn prices_keep_the_digits_that_were_typed() {
    for (text, shown) in
        [("0.4", "0.40"), ("0.006", "0.006"), ("2", "2.00"), ("\"0.125\"", "0.125"), ("0.000001", "0.000001")]
    {
        let price = price(&format!("input = {text}\noutput = 0"));
        assert_eq!(price.input.to_string(), shown);
    }
    for text in ["-0.1", "nan", "inf", "0.00000001", "\"free\"", "1e300", "true"] {
        assert!(toml::from_str::<Price>(&format!("input = {text}\noutput = 0")).is_err(), "{text}");
    }
}

#[test]
fn sums_do_not_depend_on_their_order() {
    let costs = [1, 999, 7_000_000, 3].map(Cost::from_picodollars);
    assert_eq!(costs.iter().copied().sum::<Cost>(), costs.iter().rev().copied().sum::<Cost>());
}

#[test]
fn a_price_is_typed_as_dollars_for_a_million_tokens() {
    let price: Price = "0.15, 0.60".parse().unwrap();
    assert_eq!(price.estimate(1_000_000, 1_000_000).to_string(), "$0.7500");
    assert!("0".parse::<Price>().unwrap().is_free());
    for text in ["", "free", "-1", "nan", "inf", "1,2,3", "1e3"] {
        assert!(text.parse::<Price>().is_err(), "{text}");
    }
}
