/**
 * `anteroom room preview FILE`: the waiting page from a custom template, with example numbers, as HTML on stdout.
 * `--default` writes the built-in page as a template to start from.
 *
 * The template is checked here first, so that its problems name the file; the node renders it.
 */

import { problemAt } from "../../node/config/problem.ts";
import { templateComplaint } from "../../node/config/template-check.ts";
import { defaultTemplate } from "../../node/gate/page.ts";
import { adminClient } from "../admin-client.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { readInput, shownPath } from "../read-input.ts";

export async function preview(invocation: Invocation): Promise<number> {
  const [path] = invocation.positionals;
  if (isOn(invocation, "default") !== (path === undefined)) {
    const problem = path === undefined ? "names no file" : "names a file beside --default";
    const repair = "give the file of a template, or --default for the built-in page as one";
    throw new Failure("Cannot preview a page", { problems: [{ path: "room preview", problem, repair }] });
  }
  if (path === undefined) {
    invocation.io.answer(defaultTemplate().trimEnd());
    return EXIT.ok;
  }
  const text = readInput(invocation.io, path);
  if (!text.ok) throw new Failure("Cannot read the template", { problems: text.problems });
  const complaint = templateComplaint(text.value);
  if (complaint !== undefined) {
    throw new Failure("Cannot render the template", { problems: [problemAt(shownPath(path), undefined, complaint)] });
  }
  const client = adminClient(invocation);
  invocation.io.answer(await client.callForText("POST", "/v1/preview", { custom_page_html: text.value }));
  return EXIT.ok;
}
