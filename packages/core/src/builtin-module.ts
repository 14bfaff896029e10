export interface BuiltinModules {
  readonly 'node:fs': { readFileSync(path: string, encoding: 'utf8'): string }
  readonly 'node:crypto': {
    createHash(algorithm: 'sha256'): { update(text: string): { digest(encoding: 'hex'): string } }
  }
  readonly 'node:vm': VirtualMachine
}

export interface VirtualMachine {
  createContext(values: object): object
  readonly Script: new (
    source: string,
  ) => { runInContext(context: object, options: { readonly timeout: number }): unknown }
}

interface Runtime {
  readonly process?: {
    getBuiltinModule?<Name extends keyof BuiltinModules>(name: Name): BuiltinModules[Name] | undefined
  }
}

/**
 * Gets the module from the runtime instead of an import, which would tie this package to Node.js; `undefined` in
 * browsers and elsewhere.
 */
export function builtinModule<Name extends keyof BuiltinModules>(name: Name): BuiltinModules[Name] | undefined {
  return (globalThis as Runtime).process?.getBuiltinModule?.(name)
}
