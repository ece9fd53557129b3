/** Objects that policies move between regions: who owns one, and does it have an owner? */
@NullMarked
package io.retroscope.examples.migration;

import org.jspecify.annotations.NullMarked;
