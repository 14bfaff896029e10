import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SourceTextModule, SyntheticModule } from 'node:vm'
import { stripTypes } from './strip-types.mjs'

/**
 * Loads JavaScript and TypeScript modules anew, beside Node's own module cache, with some of them replaced.
 * Needs `--experimental-vm-modules`.
 *
 * @param {{ texts?: ReadonlyMap<string, string>, provided?: ReadonlyMap<string, object> }} options
 *   `texts`: absolute path to a text that stands in for the file; `provided`: specifier to the exports of a module
 * @returns {(path: string) => Promise<object>} the exports of the module at an absolute path
 */
export function moduleLoader({ texts = new Map(), provided = new Map() }) {
  const opened = new Map()

  function open(path) {
    const text = texts.get(path) ?? readFileSync(path, 'utf8')
    const url = pathToFileURL(path).href
    return new SourceTextModule(stripTypes(text, path), {
      identifier: url,
      initializeImportMeta: (meta) => Object.assign(meta, { url }),
      importModuleDynamically: async (specifier, from) => evaluated(await link(specifier, from)),
    })
  }
  const once = (key, make) => opened.get(key) ?? opened.set(key, make()).get(key)

  async function link(specifier, from) {
    if (!specifier.startsWith('.')) return once(specifier, () => foreign(specifier, provided))
    const path = existing(resolve(dirname(fileURLToPath(from.identifier)), specifier))
    return once(path, () => open(path))
  }
  async function evaluated(module) {
    if (module.status === 'unlinked') await module.link(link)
    if (module.status !== 'evaluated') await module.evaluate()
    return module
  }
  return async (path) => (await evaluated(once(path, () => open(path)))).namespace
}

async function foreign(specifier, provided) {
  const exported = provided.get(specifier) ?? (await import(specifier))
  const names = Object.keys(exported)
  return new SyntheticModule(names, function () {
    for (const name of names) this.setExport(name, exported[name])
  })
}

/** TypeScript writes `./x.js` for `./x.ts`. */
function existing(path) {
  return existsSync(path) ? path : path.replace(/\.([cm]?)js$/, '.$1ts')
}
