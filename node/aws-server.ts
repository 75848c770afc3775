/** The address for clients of AWS's Virtual Waiting Room. */

import type { Served } from "./admin-app.ts";
import { listenAws } from "./listeners.ts";
import { ListenError } from "./listening.ts";
import { messageOf } from "./message-of.ts";
import type { NodeOptions } from "./node-options.ts";
import { awsApi } from "./operator/aws/aws-api.ts";
import { SigningKey } from "./operator/aws/signing-key.ts";

/** Answers the routes of AWS's Virtual Waiting Room, if the settings say so; of several workers the first one does. */
export function awsServer(
  { settings, clock, steadyClock }: NodeOptions,
  { shell, seal, status }: Pick<Served, "shell" | "seal" | "status">,
) {
  if (settings.aws === undefined || settings.worker > 1) return undefined;
  const { listen, key, issuer } = settings.aws;
  const { rooms, gate } = shell;
  const app = awsApi({
    ...{ rooms, gate, seal, issuer, clock, steadyMs: steadyClock, minuteMs: settings.minuteMs },
    key: signingKey(key),
    waiting: (name) => status.recent().rooms.find((room) => room.name === name)?.waiting ?? 0,
  });
  return listenAws(listen, app.fetch);
}

function signingKey(text: string): SigningKey {
  try {
    return new SigningKey(text);
  } catch (cause) {
    throw new ListenError(`Cannot sign tokens with the key of --aws-key-file as ${messageOf(cause)}`, "", cause);
  }
}
