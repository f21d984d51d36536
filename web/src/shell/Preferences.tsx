import { Trans, useLingui } from "@lingui/react/macro";
import { chooseLanguage, LANGUAGES } from "@/i18n/i18n";
import { useLanguage } from "@/ui/contest";
import { chooseTheme, THEMES, type Theme, useTheme } from "./theme";

const NAMES = { en: "English", ru: "Русский" } as const;

/** Language and colours: the two things that are remembered on this device. */
export function Preferences() {
  const { t } = useLingui();
  const language = useLanguage();
  const theme = useTheme();
  const themes: Record<Theme, string> = { system: t`As the device`, light: t`Light`, dark: t`Dark` };
  return (
    <>
      <label>
        <span className="sr-only">
          <Trans>Language</Trans>
        </span>
        <select
          value={language}
          onChange={(event) => void chooseLanguage(event.currentTarget.value === "ru" ? "ru" : "en")}
        >
          {LANGUAGES.map((each) => (
            <option key={each} value={each} lang={each}>
              {NAMES[each]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span className="sr-only">
          <Trans>Colours</Trans>
        </span>
        <select value={theme} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
          {THEMES.map((each) => (
            <option key={each} value={each}>
              {themes[each]}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
