/**
 * Files that are imported as text (`with { type: "text" }`) and so become part of the binary. HTML is missing here
 * because Bun's own types declare it, as a bundle: those imports go through `String`.
 */

declare module "*.css" {
  const text: string;
  export = text;
}

declare module "*.svg" {
  const text: string;
  export = text;
}

declare module "uplot/dist/*.js" {
  const text: string;
  export = text;
}
