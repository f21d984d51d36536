/** Hand a file over to the browser's downloads. */
export function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The download has begun with the click; the address is of no use to anybody afterwards.
  URL.revokeObjectURL(link.href);
}
