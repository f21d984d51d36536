import { expect, test } from "vitest";
import { bytesText } from "./bytes";

test("bytes are told in the largest unit of which there is one, in the reader's words", () => {
  expect(bytesText(0, "en")).toBe("0 bytes");
  expect(bytesText(1023, "en")).toBe("1,023 bytes");
  expect(bytesText(1024, "en")).toBe("1 KiB");
  expect(bytesText(64 * 1024 ** 2, "en")).toBe("64 MiB");
  expect(bytesText(10.5 * 1024 ** 3, "ru")).toBe("10,5 ГиБ");
  expect(bytesText(20_000 * 1024 ** 3, "en")).toBe("20,000 GiB");
});
