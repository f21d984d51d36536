import { expect, test } from "vitest";
import { deedText } from "./audit";

const roleOf = (role: string) => (role === "judge" ? "судья" : role);

test("an entry of the audit log is read in the reader's language, with a role or somebody's own words behind it", () => {
  expect(deedText("run planned", "en", roleOf)).toBe("run planned");
  expect(deedText("run planned", "ru", roleOf)).toBe("прогон запланирован");
  expect(deedText("run amended: pause", "ru", roleOf)).toBe("прогон приостановлен");
  expect(deedText("role given: judge", "ru", roleOf)).toBe("назначена роль: судья");
  expect(deedText("staff dismissed: he moved: away", "ru", roleOf)).toBe("сотрудник отстранён: he moved: away");
  expect(deedText("something new", "ru", roleOf)).toBe("something new");
});
