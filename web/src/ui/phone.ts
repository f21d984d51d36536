/** As in sheet.module.css. */
const PHONE = window.matchMedia("(max-width: 48rem)");

/** Whether what is told of a thing lies over the page, as a sheet. */
export function isPhone(): boolean {
  return PHONE.matches;
}
