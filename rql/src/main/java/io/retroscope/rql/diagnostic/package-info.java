/** Errors for users: a stable code, one sentence, the exact place, and help. */
@NullMarked
package io.retroscope.rql.diagnostic;

import org.jspecify.annotations.NullMarked;
