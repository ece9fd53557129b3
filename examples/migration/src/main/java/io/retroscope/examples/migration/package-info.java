/** Objects that policies move between regions: does each have one owner? */
@NullMarked
package io.retroscope.examples.migration;

import org.jspecify.annotations.NullMarked;
