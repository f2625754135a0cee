//! What must stay: ordinary talk, and every number and site of help.

use super::{ai, check, human};

fn stays(cases: &[&str], redact: fn(&str) -> String) {
    let same: Vec<(&str, &str)> = cases.iter().map(|text| (*text, *text)).collect();
    check(&same, redact);
}

#[test]
fn help_lines_and_their_sites_stay() {
    stays(
        &[
            "Call or text 988 now.",
            "In the UK, call 116 123, or 999 in an emergency.",
            "Dial 112 or 911.",
            "Text HOME to 741741.",
            "Lifeline: 13 11 14. Beyond Blue: 1300 22 4636.",
            "Call 1-800-273-8255 or 1-800-273-TALK.",
            "The hotline is 1 (800) 799-7233.",
            "RAINN: 800-656-4673",
            "Childline 0800 1111, Papyrus 0800 068 4141",
            "Mind: 0300 123 3393",
            "TelefonSeelsorge: 0800 111 0 111 oder 0800/1110222",
            "call +49 800 1110111",
            "Trevor Project 1-866-488-7386",
            "Kids Helpline 1800 55 1800",
            "iCall: 9152987821",
            "Samaritans: jo@samaritans.org or https://www.samaritans.org/how-we-can-help/",
            "See https://988lifeline.org and findahelpline.com.",
            "SHOUT to 85258",
            "In Spain call 024, in France 3114, in Brazil 188.",
        ],
        ai,
    );
}

#[test]
fn numbers_that_are_no_phone_stay() {
    stays(
        &[
            "Since 2019 it got worse, 2020-2021 was hell.",
            "from 1990 - 2005 I drank",
            "I scored 21 on the PHQ-9 and 15 on GAD-7.",
            "It is 3:30 am, I slept 2-3 hours.",
            "50mg of sertraline, then 100 mg",
            "I owe $12,500.00 and 3 000 000 more",
            "on 05.11.2023 18:30 it happened",
            "2023-11-05 at 10:20:30",
            "He is 35, I'm 34, 10 years now",
            "breathe 4-7-8, ten times",
            "I weigh 100-2000 calories a day",
            "1, 2, 3, 4, 5, 6, 7, 8, 9, 10",
            "pi is 3.14159265358979",
            "9/11 and 24/7",
            "vitamin B12 5MG daily",
            "I took 20 pills of 500mg at 11.30",
            "Rated 10/10, 100 percent, 1000 times",
            "room 12, floor 3, bus 42",
            "it cost €1234567890",
            "version 1.2.3.4.5 of me",
            "I counted to 1000000 and text nobody",
            "it is 2 blocks down the street, 10 minutes from the road",
            "I have 3 very close friends and a 5 hour drive; 2 people on our street",
            "a 2 lane road, 20 miles of dirt road",
            "1 more day on the road and 100 cars in the lane",
        ],
        human,
    );
}

#[test]
fn ordinary_talk_has_no_names() {
    stays(
        &[
            "I'm Sad and I'm Tired.",
            "Das heißt Arbeit. Er heißt mich willkommen. Me llamo a mí mismo tonto.",
            "I'm fine. I am OK. I'm ADHD.",
            "I'm Irish, Catholic and lonely.",
            "I am Christian.",
            "I'm Nigerian, living in Leeds.",
            "I'm Going to scream",
            "This is Hell. This is Not okay.",
            "call me crazy, call me later, call me when you can",
            "Call me Back.",
            "my name is on the list, my name is mud",
            "My mom says I'm lazy. My dad left.",
            "my friend I told you about",
            "my sister is a nurse; my boss Never listens",
            "He is my brother. She was my friend.",
            "Alcohol was my friend.",
            "Monday is my day off and Christmas is near.",
            "an app called Calm and a pill called Prozac",
            "I will hope for the best, may be in June",
            "God, this is hard. Oh God.",
            "I've been in London with the NHS",
            "I feel like a Burden to everyone",
            "Thanks,\nbut no",
            "I am An Idiot.",
            "Hi Claude, are you there?",
            "I'm Done.",
            "It's Monday. It's me.",
            "my doctor. Then I left",
            "hearing him forget my name is harder than anything",
            "'Oh, my husband gets frustrated'",
            "Lately, my sister is distant. Work and my dog keep me going.",
            "I tried. - Later it was worse",
            "my cat died",
        ],
        human,
    );
}

#[test]
fn ordinary_talk_has_no_addresses_handles_or_sites() {
    stays(
        &[
            "I live 2 miles down the road",
            "it's a 2 way street",
            "we stayed at 3 different places",
            "Step 3 Find A Safe Place",
            "I'm @ home, then @work",
            "I feel better.So what? okay.me too",
            "e.g. sleep, i.e. rest... and/or food",
            "his/her, w/o, n/a",
            "#metoo and #1",
            "my insta is private",
            "my handle is broken",
            "10 minutes from the house",
            "6 p.m. to 8 p.m.",
            "My case 1 and case 2",
        ],
        human,
    );
}

#[test]
fn what_an_ai_says_of_itself_and_to_everyone_stays() {
    stays(
        &[
            "I'm Claude, an AI made by Anthropic.",
            "My name is Wysa.",
            "Hi there! Hello friend, welcome back.",
            "Sorry. That sounds hard. Thank you for sharing.",
            "Okay, let's breathe. Dear God, no.",
            "Hey, You are not alone. Good morning!",
            "I hear you. Take care, and rest.",
            "Thank you. Sleep, Food, Movement: start small.",
            "Welcome to Monday.",
            "**Contact a Nurse Advice Line** on the next line.",
            "Can Your Grandmother Qualify for help? She may qualify.",
            "Look at eldercare.acl.gov, or the helpline **646-744-2900**.",
            "Your therapist can help. Your doctor, too.",
        ],
        ai,
    );
}
