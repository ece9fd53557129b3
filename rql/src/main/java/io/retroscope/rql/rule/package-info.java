/** Files of named rules, and the verdicts on them. */
@NullMarked
package io.retroscope.rql.rule;

import org.jspecify.annotations.NullMarked;
