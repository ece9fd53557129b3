/** Traces for ui.perfetto.dev, in the JSON format of Chrome's traces. */
@NullMarked
package io.retroscope.cli.perfetto;

import org.jspecify.annotations.NullMarked;
