/** Brings the field of a place in the document into view, and gives it the focus. */
export function showField(root: HTMLElement, pointer: string): void {
  // The form is drawn first.
  requestAnimationFrame(() => {
    requestAnimationFrame(() => focusField(root, pointer));
  });
}

function focusField(root: HTMLElement, pointer: string): void {
  const fields = [...root.querySelectorAll<HTMLElement>("[data-pointer]")];
  const [field] = fields
    .filter(({ dataset: { pointer: place = "" } }) => isWithin(pointer, place))
    .toSorted((a, b) => lengthOf(b) - lengthOf(a));
  if (field === undefined) return;
  for (
    let around = field.closest("details");
    around !== null;
    around = around.parentElement?.closest("details") ?? null
  ) {
    around.open = true;
  }
  field.scrollIntoView({ block: "center" });
  const controls = field.querySelectorAll<HTMLElement>("input, textarea, select, button");
  [...controls].find((each) => !each.classList.contains("oxe-mode"))?.focus();
}

const isWithin = (pointer: string, place: string): boolean =>
  pointer === place || pointer.startsWith(`${place}/`);

const lengthOf = ({ dataset: { pointer = "" } }: HTMLElement): number => pointer.length;
