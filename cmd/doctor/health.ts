/** `anteroom doctor --live` and `--ready`: the health check of a container. Needs no token, and loads next to nothing. */

import { messageOf } from "../../node/message-of.ts";
import { adminUrl } from "../admin-client.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";

/** Health checks have timeouts of a few seconds themselves. */
const ANSWER_MAX_MS = 2_000;

export async function health(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const url = `${adminUrl(invocation)}${isOn(invocation, "ready") ? "/readyz" : "/healthz"}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MAX_MS), proxy: false });
    const text = (await response.text()).trim();
    if (response.ok) io.answer(text);
    else io.talk(text);
    return response.ok ? EXIT.ok : EXIT.failed;
  } catch (error) {
    // That nothing answers is the news.
    io.talk(`${url} does not answer: ${messageOf(error)}`);
    return EXIT.failed;
  }
}
