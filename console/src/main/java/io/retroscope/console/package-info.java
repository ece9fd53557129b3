/** The page that shows the cuts of a recorded system: rules, explanations, a diagram and tables. */
@NullMarked
package io.retroscope.console;

import org.jspecify.annotations.NullMarked;
