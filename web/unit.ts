/** The address of the site, which its client reads as soon as it is loaded; units have no browser that has one. */
Object.assign(globalThis, { location: { origin: "https://site.example" } });
