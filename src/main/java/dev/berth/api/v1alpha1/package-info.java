/**
 * The kinds of group {@code berth.dev/v1alpha1} as they travel: the CustomResourceDefinitions in
 * {@code crds/} are generated from these classes.
 *
 * <p>A field that is absent in the object is {@code null} here, unless it says that it has a default.
 */
@NullMarked
package dev.berth.api.v1alpha1;

import org.jspecify.annotations.NullMarked;
