/**
 * What the gate is compared with, and the origin behind it.
 *
 * nginx and HAProxy are set up for the same work on one core: one process, one thread, no logs, connections kept on
 * both sides for as long as the client wants.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, installed, Server } from "./programs.ts";
import { CONNECTIONS } from "./wrk.ts";

export interface OtherServer {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
}

/** A fixed answer; its text is ASCII. */
interface Page {
  readonly body: string;
  readonly contentType: string;
  /** Further fields, as `Name: value`. */
  readonly fields: readonly string[];
}

/** Size of the page that the origin serves: small, so that the gate's own work shows. */
const PAGE_BYTES = 1_024;

/** Starts the origin in the new folder `folder`, on the load's core: nginx where installed, else Bun. */
export async function startOrigin(folder: string): Promise<OtherServer> {
  mkdirSync(folder);
  const page = `<!doctype html><title>origin</title><p>${"o".repeat(PAGE_BYTES)}`.slice(0, PAGE_BYTES);
  writeFileSync(join(folder, "page.html"), page);
  if (installed("nginx") !== undefined) {
    return startNginx(folder, { core: "load", http: "", location: `root ${folder}; try_files /page.html =404;` });
  }
  const port = freePort();
  const script = join(import.meta.dirname, "bun-origin.ts");
  return readyServer(new Server([process.execPath, script, String(port), join(folder, "page.html")], "load"), port);
}

/** Starts nginx in the new folder `folder` as a plain proxy before the origin on `originPort`. */
export async function startNginxProxy(folder: string, originPort: number): Promise<OtherServer> {
  mkdirSync(folder);
  const kept = `keepalive ${2 * CONNECTIONS}; keepalive_requests 1000000000;`;
  return startNginx(folder, {
    core: "server",
    http: `upstream origin { server 127.0.0.1:${originPort}; ${kept} }`,
    location: `
      proxy_pass http://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;`,
  });
}

/** Starts HAProxy in the new folder `folder`, answering `body` with the given fields to every request. */
export async function startHaproxyPage(folder: string, page: Page): Promise<OtherServer> {
  mkdirSync(folder);
  const port = freePort();
  writeFileSync(join(folder, "body"), page.body);
  const fields = page.fields.map((field) => `hdr ${field.replace(": ", " ")}`).join(" ");
  writeFileSync(
    join(folder, "haproxy.cfg"),
    `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
frontend waiting
  bind 127.0.0.1:${port}
  http-request return status 200 content-type ${page.contentType} file ${join(folder, "body")} ${fields}
`,
  );
  return readyServer(
    new Server([installed("haproxy") ?? "", "-db", "-f", join(folder, "haproxy.cfg")], "server"),
    port,
  );
}

async function startNginx(
  folder: string,
  site: { readonly core: "server" | "load"; readonly http: string; readonly location: string },
): Promise<OtherServer> {
  const port = freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off;
master_process off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log crit;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 600;
  keepalive_requests 1000000000;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  ${site.http}
  server { listen 127.0.0.1:${port}; location / { ${site.location} } }
}
`,
  );
  return readyServer(
    new Server([installed("nginx") ?? "", "-c", join(folder, "nginx.conf"), "-p", folder], site.core),
    port,
  );
}

/** The server once it answers on `port`. */
export async function readyServer(server: Server, port: number): Promise<OtherServer> {
  const url = `http://127.0.0.1:${port}/open/`;
  await server.ready(url);
  return { server, port, url };
}
