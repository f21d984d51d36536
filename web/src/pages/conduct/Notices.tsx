import { useLanguage } from "@/ui/contest";
import styles from "./conduct.module.css";
import type { Notice } from "./data";

/** What the platform warns of and does not refuse. */
export function Notices({ of }: { of: readonly Notice[] }) {
  const language = useLanguage();
  if (of.length === 0) return null;
  return (
    <ul className={styles.notices}>
      {of.map((notice) => (
        <li key={notice.code + notice.message}>⚠ {language === "ru" ? notice.message_ru : notice.message}</li>
      ))}
    </ul>
  );
}
