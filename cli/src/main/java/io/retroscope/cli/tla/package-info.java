/** Traces for TLA+, with which a run can be checked against a specification. */
@NullMarked
package io.retroscope.cli.tla;

import org.jspecify.annotations.NullMarked;
