/**
 * The analysis of statements before they run: it resolves names and rejects expressions that cannot
 * be evaluated.
 */
@NullMarked
package io.retroscope.rql.analysis;

import org.jspecify.annotations.NullMarked;
