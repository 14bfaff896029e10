export declare function stripTypes(source: string, path: string): string
