import type { Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetItem } from '@jurist/experiment'
import { parseObject } from '@jurist/kit/json'
import type { ProbeUpstream } from './probe.js'

/** The repository that the source of an item names, or else the `package.json` of its workspace. */
export async function upstreamOf(item: DatasetItem | undefined, workspace: Workspace): Promise<ProbeUpstream | null> {
  const source = recordIn(item?.metadata['source'])
  const commit = typeof source['commit'] === 'string' ? source['commit'] : null
  const named = ['repository', 'repo', 'url'].flatMap((key) => addressOf(source[key]) ?? [])
  const [address = addressOf(parseObject(await manifestOf(workspace))?.['repository'])] = named
  return address === undefined ? null : { address, commit }
}

function recordIn(value: unknown): { readonly [key: string]: unknown } {
  return isPlainObject(value) ? value : {}
}

async function manifestOf(workspace: Workspace): Promise<string> {
  return workspace.read('package.json').catch(() => '{}')
}

/** `acme/cart`, `github:acme/cart` and addresses with `git+` or of ssh are addresses of https. */
function addressOf(value: unknown): string | undefined {
  const given = isPlainObject(value) ? recordIn(value)['url'] : value
  if (typeof given !== 'string') return undefined
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(given)?.[1]
  const whole = short === undefined ? given : `https://github.com/${short}`
  const address = whole
    .replace(/^git\+/, '')
    .replace(/^(?:ssh:\/\/)?git@([\w.-]+)[:/]/, 'https://$1/')
    .replace(/\/$/, '')
    .replace(/\.git$/, '')
  return /^https?:\/\/[\w.:[\]-]+\/\S+$/.test(address) ? address : undefined
}
