//! What must be replaced.

use super::{ai, check, human};

#[test]
fn email_addresses_are_replaced() {
    check(
        &[
            ("Write to ana.lopez+help@example.org please", "Write to [EMAIL_1] please"),
            ("(ana@example.co.uk)", "([EMAIL_1])"),
            ("mail ANA@EXAMPLE.ORG or ana@example.org", "mail [EMAIL_1] or [EMAIL_1B]"),
            ("jürgen@müller.de schreibt", "[EMAIL_1] schreibt"),
            ("it's ana at gmail dot com", "it's [EMAIL_1]"),
            ("ana (at) example (dot) org", "[EMAIL_1]"),
            ("a@x.org, b@x.org, a@x.org", "[EMAIL_1], [EMAIL_2], [EMAIL_1]"),
        ],
        human,
    );
}

#[test]
fn phone_numbers_are_replaced() {
    check(
        &[
            ("call me on +44 7700 900123", "call me on [PHONE_1]"),
            ("+1 (555) 234-5678 is mine", "[PHONE_1] is mine"),
            ("it's (555) 234-5678.", "it's [PHONE_1]."),
            ("555-234-5678 or 555.234.5678", "[PHONE_1] or [PHONE_1B]"),
            ("1-555-234-5678 ext. 12", "[PHONE_1]"),
            ("my cell: 5552345678", "my cell: [PHONE_1]"),
            ("07700 900123 after six", "[PHONE_1] after six"),
            ("ring 020 7946 0958", "ring [PHONE_1]"),
            ("(020) 7946 0958", "[PHONE_1]"),
            ("mon numéro 06 12 34 56 78", "mon numéro [PHONE_1]"),
            ("06.12.34.56.78", "[PHONE_1]"),
            ("ruf an: 0170 1234567", "ruf an: [PHONE_1]"),
            ("0049 170 1234567", "[PHONE_1]"),
            ("98765 43210 is my number", "[PHONE_1] is my number"),
            ("+91 98765 43210", "[PHONE_1]"),
            ("0412 345 678", "[PHONE_1]"),
            ("text me, 555-2345", "text me, [PHONE_1]"),
            ("+49 (0)30 901820", "[PHONE_1]"),
            ("555\u{2011}234\u{2011}5678", "[PHONE_1]"),
        ],
        human,
    );
}

#[test]
fn names_told_in_other_languages_are_replaced() {
    check(
        &[
            ("Ich heiße Jürgen Müller. Jürgen schläft nicht.", "Ich heiße [NAME_1] [NAME_2]. [NAME_1] schläft nicht."),
            ("ich heisse jürgen und bin müde", "ich heisse [NAME_1] und bin müde"),
            ("Mein Name ist Aylin.", "Mein Name ist [NAME_1]."),
            ("Me llamo María y estoy triste", "Me llamo [NAME_1] y estoy triste"),
            ("Mi nombre es Diego", "Mi nombre es [NAME_1]"),
            ("Mi hermana se llama Lucía.", "Mi hermana se llama [NAME_1]."),
            ("Je m’appelle Chloé, je pleure", "Je m’appelle [NAME_1], je pleure"),
            ("Mi chiamo Giulia", "Mi chiamo [NAME_1]"),
            ("Meu nome é João", "Meu nome é [NAME_1]"),
            ("Ik heet Sanne", "Ik heet [NAME_1]"),
            ("Jag heter Björn", "Jag heter [NAME_1]"),
            ("Nazywam się Wojciech", "Nazywam się [NAME_1]"),
            ("Меня зовут Наташа, мне плохо. Наташа", "Меня зовут [NAME_1], мне плохо. [NAME_1]"),
            ("Мене звати Оксана", "Мене звати [NAME_1]"),
            ("Benim adım Emre", "Benim adım [NAME_1]"),
            ("Με λένε Ελένη", "Με λένε [NAME_1]"),
            ("اسمي أحمد وأنا حزين", "اسمي [NAME_1] وأنا حزين"),
            ("मेरा नाम प्रिया है", "मेरा नाम [NAME_1] है"),
            ("我叫王小明，我很难过。王小明不想说话", "我叫[NAME_1]，我很难过。[NAME_1]不想说话"),
        ],
        human,
    );
}

#[test]
fn addresses_are_replaced() {
    check(
        &[
            ("I live at 221B Baker Street, alone", "I live at [ADDRESS_1], alone"),
            ("12 Oak St.", "[ADDRESS_1]"),
            ("1600 Pennsylvania Avenue NW", "[ADDRESS_1] NW"),
            ("45 W 21st Street, Apt 4B", "[ADDRESS_1]"),
            ("Flat 3, 12 Elm Road", "[ADDRESS_1]"),
            ("i live at 12 oak street", "i live at [ADDRESS_1]"),
            ("221b baker street, second floor", "[ADDRESS_1], second floor"),
            ("come to 14 mill lane please", "come to [ADDRESS_1] please"),
            ("she moved from 9 king george ave to 10 elm rd", "she moved from [ADDRESS_1] to [ADDRESS_2]"),
            ("P.O. Box 1234", "[ADDRESS_1]"),
            ("it's SW1A 1AA", "it's [ADDRESS_1]"),
            ("M1 1AE", "[ADDRESS_1]"),
            ("Springfield, IL 62704", "Springfield, [ADDRESS_1]"),
            ("Portland, OR 97201-1234", "Portland, [ADDRESS_1]"),
            ("K1A 0B1 Ottawa", "[ADDRESS_1] Ottawa"),
            ("my zip code is 90210", "my zip code is [ADDRESS_1]"),
            ("Sydney NSW 2000", "Sydney [ADDRESS_1]"),
            ("Hauptstraße 12 in Köln", "[ADDRESS_1] in Köln"),
            ("12 rue de la Paix", "[ADDRESS_1]"),
            ("Calle Mayor 5", "[ADDRESS_1]"),
        ],
        human,
    );
}

#[test]
fn cards_accounts_and_identity_numbers_are_replaced() {
    check(
        &[
            ("card 4111 1111 1111 1111 exp 12/29", "card [CARD_1] exp 12/29"),
            ("4111-1111-1111-1111", "[CARD_1]"),
            ("378282246310005", "[CARD_1]"),
            ("my ssn is 123-45-6789", "my ssn is [ID_1]"),
            ("DE89 3704 0044 0532 0130 00 is my account", "[ID_1] is my account"),
            ("GB82WEST12345698765432", "[ID_1]"),
            ("NHS number 943 476 5919", "NHS number [ID_1]"),
            ("passport number is X1234567.", "passport number is [ID_1]."),
            ("my passport: C01X00T47", "my passport: [ID_1]"),
            ("AB 12 34 56 C", "[ID_1]"),
            ("student id 20231234", "student id [ID_1]"),
            ("account number: 12345678", "account number: [ID_1]"),
        ],
        human,
    );
}

#[test]
fn web_addresses_handles_and_computers_are_replaced() {
    check(
        &[
            ("see https://blog.example/ana?id=1.", "see [URL_1]."),
            ("www.analopez.com", "[URL_1]"),
            ("my page analopez.com/blog, please", "my page [URL_1], please"),
            ("bit.ly/3xYz", "[URL_1]"),
            ("I'm @ana_92 there", "I'm [HANDLE_1] there"),
            ("follow @ana.lopez!", "follow [HANDLE_1]!"),
            ("my insta is ana_92", "my insta is [HANDLE_1]"),
            ("posted as u/sad_ana", "posted as [HANDLE_1]"),
            ("discord ana#1234", "discord [HANDLE_1]"),
            ("from 192.168.0.17", "from [IP_1]"),
            ("2001:db8::8a2e:370:7334", "[IP_1]"),
        ],
        human,
    );
}

#[test]
fn names_people_give_are_learned_and_replaced_everywhere() {
    check(
        &[
            ("My name is Ana. Ana is tired, Ana's tired.", "My name is [NAME_1]. [NAME_1] is tired, [NAME_1]'s tired."),
            ("my name is ana and i cry", "my name is [NAME_1] and i cry"),
            ("My name's Ana Maria López.", "My name's [NAME_1] [NAME_2] [NAME_3]."),
            ("I'm Ana. ANA! ana?", "I'm [NAME_1]. [NAME_1B]! [NAME_1C]?"),
            ("I am Tomás, 23.", "I am [NAME_1], 23."),
            ("I’m Siobhán from Cork", "I’m [NAME_1] from Cork"),
            ("call me Beth", "call me [NAME_1]"),
            ("Hi, this is Priya.", "Hi, this is [NAME_1]."),
            ("my sister Ana left", "my sister [NAME_1] left"),
            ("My best friend Tom's dad", "My best friend [NAME_1]'s dad"),
            ("my husband, Jörg, drinks", "my husband, [NAME_1], drinks"),
            ("my son is called Max", "my son is called [NAME_1]"),
            ("a guy named Viktor hit me", "a guy named [NAME_1] hit me"),
            ("Dr. Patel and Mrs O'Brien", "Dr. [NAME_1] and Mrs [NAME_2]"),
            ("Lena is my sister. I miss Lena.", "[NAME_1] is my sister. I miss [NAME_1]."),
            ("I can't.\nThanks,\nAna", "I can't.\nThanks,\n[NAME_1]"),
            ("I'm Hope. I hope so.", "I'm [NAME_1]. I hope so."),
            ("My name is Jean-Luc", "My name is [NAME_1]"),
            ("I'm Ana-Maria. Anna-Lena too", "I'm [NAME_1]. Anna-Lena too"),
            ("Меня зовут... my name is Анна. Анна!", "Меня зовут... my name is [NAME_1]. [NAME_1]!"),
            ("my therapist Dr. Lee", "my therapist Dr. [NAME_1]"),
            ("Hi, it's Sarah again.", "Hi, it's [NAME_1] again."),
            ("I am numb. - Aisha", "I am numb. - [NAME_1]"),
            ("Dr Chance has a chance", "Dr [NAME_1] has a chance"),
            ("My name is Vincent van Gogh", "My name is [NAME_1] van [NAME_2]"),
        ],
        human,
    );
}

#[test]
fn names_the_ai_says_to_the_person_are_learned() {
    check(
        &[
            ("Hi Ana, how are you, Ana?", "Hi [NAME_1], how are you, [NAME_1]?"),
            ("Hello there, Ana!", "Hello there, [NAME_1]!"),
            ("That is hard. Thank you, Sarah.", "That is hard. Thank you, [NAME_1]."),
            ("I'm so sorry, Tom. Tom, breathe.", "I'm so sorry, [NAME_1]. [NAME_1], breathe."),
            ("It's good to meet you, Ana.", "It's good to meet you, [NAME_1]."),
            ("Your sister Lena may help.", "Your sister [NAME_1] may help."),
        ],
        ai,
    );
}
