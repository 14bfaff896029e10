import { hostname, networkInterfaces } from 'node:os'

const everything: readonly string[] = ['0.0.0.0', '::', '[::]']

/** The address of the page for a browser on this machine, with its token, at a run when one is given. */
export function addressOf(host: string, port: number, token: string, run: string | undefined): string {
  const name = everything.includes(host) ? 'localhost' : bracketed(host)
  return `http://${name}:${port}/?token=${token}${run === undefined ? '' : `#/runs/${run}`}`
}

/** The names under which a page that listens on `host` may be asked for, beside those of the loopback. */
export function hostsOf(host: string): readonly string[] {
  if (!everything.includes(host)) return [bracketed(host)]
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => bracketed(address))]
}

/** An IPv6 address as it stands in a URL. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host.toLowerCase()}]` : host.toLowerCase()
}
