/** The flags of `anteroom snippet`. */

import type { Option } from "../command.ts";

/** Where the proxy listens, if nothing else is said. */
export const BIND = { http: ":80", https: ":443" };

export const SNIPPET_OPTIONS: readonly Option[] = [
  {
    flag: "room",
    placeholder: "NAME",
    repeatable: true,
    help: "a room whose visitors inside pass the gates by; none given: all rooms",
  },
  { flag: "plain", help: "pass all requests to the gates: no fast lane, and no question to a gate" },
  { flag: "bind", placeholder: "ADDR", help: "where the proxy listens; :80, or :443 with --tls-cert" },
  {
    flag: "tls-cert",
    placeholder: "FILE",
    help: "chain of certificates at the proxy's host, in PEM, for https; for haproxy with its key",
  },
  { flag: "tls-key", placeholder: "FILE", help: "its private key, for nginx and caddy" },
  { flag: "gate", placeholder: "ADDR", repeatable: true, help: "a gate; none given: that of the node that is asked" },
  { flag: "origin", placeholder: "URL", help: "the origin, in place of those of the rooms and of the node" },
  { flag: "rooms", placeholder: "FILE", help: "kubernetes: the rooms file; none given: an example" },
  { flag: "image", placeholder: "IMAGE", fallback: "anteroom:0.1.0", help: "kubernetes: the image of the nodes" },
  { flag: "replicas", placeholder: "COUNT", fallback: "3", help: "kubernetes: nodes, 1 to 99" },
  { flag: "namespace", placeholder: "NAME", help: "kubernetes: of all objects; none given: that of kubectl" },
  { flag: "host", placeholder: "NAME", repeatable: true, help: "kubernetes: a host of the site, for an Ingress" },
  { flag: "tls-secret", placeholder: "NAME", help: "kubernetes: the secret with the certificate of the hosts" },
  { flag: "ingress-class", placeholder: "NAME", help: "kubernetes: the Ingress's class; none given: the cluster's" },
  {
    flag: "ingress-namespace",
    placeholder: "NAME",
    fallback: "ingress-nginx",
    help: "kubernetes: where the ingress controller runs, which alone may send visitors",
  },
  {
    flag: "trusted-proxies",
    placeholder: "RANGES",
    fallback: "10.244.0.0/16",
    help: "kubernetes: the addresses of its pods",
  },
  { flag: "storage", placeholder: "SIZE", fallback: "1Gi", help: "kubernetes: the volume of each node" },
  { flag: "storage-class", placeholder: "NAME", help: "kubernetes: its class; none given: the cluster's" },
  { flag: "cpu", placeholder: "CPU", fallback: "500m", help: "kubernetes: what a node requests" },
  { flag: "memory", placeholder: "SIZE", help: "kubernetes: request and limit of a node; none given: 256Mi and 1Gi" },
  {
    flag: "monitor",
    placeholder: "LABEL",
    help: "kubernetes: a PodMonitor with this label, by which the Prometheus operator finds it, such as release=prometheus",
  },
  {
    flag: "monitoring-namespace",
    placeholder: "NAME",
    fallback: "monitoring",
    help: "kubernetes: where Prometheus runs, which alone may read the metrics",
  },
];
