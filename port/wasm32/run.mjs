// SPDX-License-Identifier: MIT
// Runs a program for wasm32 under Node.js: node run.mjs PROGRAM.wasm
import { readFileSync, writeSync } from "node:fs";
import { argv, exit, hrtime } from "node:process";

let memory;
const port = {
    nanoseconds: () => hrtime.bigint(),
    write: (text, n) => {
        const bytes = new Uint8Array(memory.buffer, text, n);
        for (let done = 0; done < n;) {
            done += writeSync(1, bytes, done);
        }
    },
};

const { instance } = await WebAssembly.instantiate(readFileSync(argv[2]), { port });
memory = instance.exports.memory;
exit(instance.exports.start());
