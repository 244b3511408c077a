import { defineConfig } from "vite";

// One folder of files with plain names: they are embedded in a binary and never cached.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
    assetsInlineLimit: 0,
  },
});
