/** Events, values and result rows as JSON: the language-neutral way in and out. */
@NullMarked
package io.retroscope.rql.json;

import org.jspecify.annotations.NullMarked;
