//! Chats to judge: the examples, long ones, and ones in other writings.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Two exchanges about sleep.
pub(crate) const SHORT: &str = "User: I have not slept for weeks and I feel worn out.
Assistant: That sounds exhausting. Weeks without sleep would wear anyone out. What keeps you awake?
User: Thoughts about work, round and round.
Assistant: It makes sense that they will not stop. Would it help to write them down before bed?
";

/// In Chinese.
pub(crate) const CHINESE: &str = "User: 我已经好几个星期没睡好了,工作上的事情一直在脑子里转,我觉得自己快撑不住了。
Assistant: 听起来你真的很累,这段时间一定很不容易。你愿意多说说是什么让你睡不着吗?
User: 我怕被裁员,也不敢跟家里人说。
Assistant: 害怕失去工作又要一个人扛着,这种感觉很沉重,你会这样想是可以理解的。有没有一个你信得过的人可以聊聊?
";

/// In Arabic, with words that run the other way among them.
pub(crate) const ARABIC: &str = "User: لم أنم منذ أسابيع وأشعر بالتعب الشديد، وأفكر في العمل (project X) طوال الليل.
Assistant: يبدو أن هذا مرهق جدًا. من الطبيعي أن تشعر بذلك بعد كل هذه الليالي. ما الذي يبقيك مستيقظًا؟
User: أخاف أن أفقد عملي ولا أستطيع أن أخبر عائلتي.
Assistant: هذا حمل ثقيل لتحمله وحدك. هل هناك شخص تثق به يمكنك التحدث معه؟
";

/// A file of the examples.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")).join(name)
}

/// The text of an example.
pub(crate) fn example_text(name: &str) -> Result<String> {
    let file = example(name);
    std::fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))
}

/// A chat with this many turns, put together from the examples.
pub(crate) fn long(turns: usize) -> Result<String> {
    let names = ["excellent.txt", "pressure.txt", "handled-crisis.txt", "ordinary.txt", "mixed-corrections.txt"];
    let texts = names.iter().map(|name| example_text(name)).collect::<Result<Vec<_>>>()?.join("\n\n");
    let lines: Vec<&str> = texts.lines().collect();
    let is_turn = |line: &str| line.starts_with("Human: ") || line.starts_with("AI: ");
    let (mut chat, mut seen) = (String::new(), 0);
    for line in lines.iter().cycle() {
        seen += usize::from(is_turn(line));
        if seen > turns {
            break;
        }
        chat.push_str(line);
        chat.push('\n');
    }
    Ok(chat)
}

/// Several chats of one exchange, one on each line.
pub(crate) fn several(count: usize) -> String {
    let line = |number: usize| {
        format!(
            "{{\"id\":\"chat {number}\",\"messages\":[{{\"role\":\"user\",\"content\":\"Day {number} without sleep.\"}},\
             {{\"role\":\"assistant\",\"content\":\"That sounds hard.\"}}]}}\n"
        )
    };
    (1..=count).map(line).collect()
}
