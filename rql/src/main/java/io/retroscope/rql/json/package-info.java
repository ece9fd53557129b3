/** Events, values and result rows as JSON, the language-neutral input and output. */
@NullMarked
package io.retroscope.rql.json;

import org.jspecify.annotations.NullMarked;
