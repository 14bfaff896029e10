import { codeLanguage } from '@jurist/kit/code-languages'
import type { Probe, ProbeSite } from './probe.js'
import { canTry, siteOf, type Toolchain, type Trick, type TrickName } from './toolchain.js'

/** The toolchains with tricks. Most workspaces have only one language, so the tricks of the others are not loaded. */
export const toolchains: readonly Toolchain[] = [
  { ...codeLanguage('javascript'), tricks: async () => (await import('./toolchains/javascript.js')).javascriptTricks },
  { ...codeLanguage('python'), tricks: async () => (await import('./toolchains/python.js')).pythonTricks },
  { ...codeLanguage('java'), tricks: async () => (await import('./toolchains/java.js')).javaTricks },
  { ...codeLanguage('go'), tricks: async () => (await import('./toolchains/go.js')).goTricks },
  { ...codeLanguage('rust'), tricks: async () => (await import('./toolchains/rust.js')).rustTricks },
]

/** A probe that applies its trick in every toolchain of a site that has it. */
export function trickProbe({
  name,
  ...facts
}: Pick<Probe, 'what' | 'pattern' | 'remedy' | 'level'> & { readonly name: TrickName }): Probe {
  async function tricksFor(site: ProbeSite): Promise<readonly { readonly trick: Trick; readonly site: ProbeSite }[]> {
    const found = []
    for (const toolchain of toolchains) {
      if (!site.languages.includes(toolchain.name)) continue
      const own = siteOf(site, toolchain)
      const trick = (await toolchain.tricks())[name]
      if (trick !== undefined && (await canTry(trick, own))) found.push({ trick, site: own })
    }
    return found
  }

  return {
    name,
    ...facts,
    applies: async (site) => (await tricksFor(site)).length > 0,
    async act(site) {
      for (const { trick, site: own } of await tricksFor(site)) await trick.act(own)
    },
  }
}
