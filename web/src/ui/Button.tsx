import { type ButtonProps, Button as Pressable } from "react-aria-components/Button";
import styles from "./ui.module.css";

/** `primary` is the one thing a page is for. */
export function Button({ primary = false, ...rest }: Omit<ButtonProps, "className"> & { primary?: boolean }) {
  return <Pressable {...rest} className={primary ? `${styles.button} ${styles.primary}` : `${styles.button}`} />;
}
