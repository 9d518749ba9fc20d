use genai::adapter::AdapterKind;

/// In characters.
const LONGEST_NAME: usize = 200;

/// Who runs a real model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    /// `OpenAI`, and every server that speaks its chat completions.
    OpenAi,
    Anthropic,
    Gemini,
}

impl Provider {
    pub(crate) const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI or a compatible server",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Google Gemini",
        }
    }

    /// The environment variable of its key.
    pub(crate) fn key_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
        }
    }

    /// The environment variable of its server's address.
    pub(crate) fn address_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Gemini => "GEMINI_BASE_URL",
        }
    }

    pub(super) fn own_address(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
        }
    }

    /// The path of its interface on a server that is named without one.
    pub(super) fn usual_path(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Anthropic => "/v1/",
            Self::Gemini => "/v1beta/",
        }
    }

    /// The model that is taken when none is named.
    pub(crate) fn usual_model(self) -> &'static str {
        match self {
            Self::OpenAi => "gpt-5",
            Self::Anthropic => "claude-sonnet-4-6",
            Self::Gemini => "gemini-2.5-flash",
        }
    }

    pub(super) fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
            Self::Gemini => AdapterKind::Gemini,
        }
    }
}

/// Which model answers, written `demo`, `openai`, `openai:gpt-5` and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    Demo,
    Remote { provider: Provider, model: String },
}

/// What names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadChoice {
    #[error("{0:?} is no provider; there are demo, openai, anthropic and gemini")]
    Provider(String),
    #[error("the demo model has no other name")]
    DemoName,
    #[error(
        "{0:?} cannot be a model's name: it has 1 to {LONGEST_NAME} characters without spaces and \
         without \"::\""
    )]
    Name(String),
}

impl std::str::FromStr for Choice {
    type Err = BadChoice;

    fn from_str(text: &str) -> Result<Self, BadChoice> {
        let (provider, model) = text.split_once(':').map_or((text, None), |(p, m)| (p, Some(m)));
        if provider == "demo" {
            return if model.is_none() { Ok(Self::Demo) } else { Err(BadChoice::DemoName) };
        }
        let provider = Provider::ALL.into_iter().find(|it| it.name() == provider);
        let provider = provider.ok_or_else(|| BadChoice::Provider(text.to_owned()))?;
        let model = model.unwrap_or(provider.usual_model());
        let is_name = (1..=LONGEST_NAME).contains(&model.len())
            && model.bytes().all(|byte| byte.is_ascii_graphic())
            && !model.contains("::");
        if !is_name {
            return Err(BadChoice::Name(model.to_owned()));
        }
        Ok(Self::Remote { provider, model: model.to_owned() })
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Demo => f.write_str("demo"),
            Self::Remote { provider, model } => write!(f, "{}:{model}", provider.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_a_provider_and_the_models_name_which_may_have_colons() {
        let read = |text: &str| text.parse::<Choice>().unwrap().to_string();
        assert_eq!(read("demo"), "demo");
        assert_eq!(read("openai:llama3.1:8b"), "openai:llama3.1:8b");
        assert_eq!(read("gemini:models/x"), "gemini:models/x");
        for provider in Provider::ALL {
            let usual = format!("{}:{}", provider.name(), provider.usual_model());
            assert_eq!(read(provider.name()), usual);
        }
    }

    #[test]
    fn what_names_no_model_is_refused_in_words() {
        let refused = |text: &str| text.parse::<Choice>().unwrap_err();
        for text in ["", "gpt-5", "OpenAI:gpt-5", "ollama:x"] {
            assert_eq!(refused(text), BadChoice::Provider(text.to_owned()));
        }
        assert_eq!(refused("demo:x"), BadChoice::DemoName);
        for name in ["", "a b", "a::b", "é", &"x".repeat(201)] {
            assert_eq!(refused(&format!("openai:{name}")), BadChoice::Name(name.to_owned()));
        }
        assert!(format!("openai:{}", "x".repeat(200)).parse::<Choice>().is_ok());
    }
}
