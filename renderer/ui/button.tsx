import type { ComponentProps, ReactNode } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'outline' | 'primary' | 'danger' | 'quiet-danger';
}

/** A button of the app. `outline` is the usual one; `plain` has no frame. */
export function Button({ look = 'outline', className = '', type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={`btn btn-${look} ${className}`} {...rest} />;
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'title'> {
  /** Its accessible name, and its tooltip. */
  readonly name: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

/** A square button with an icon only. */
export function IconButton({ name, hint, className = '', type = 'button', ...rest }: IconButtonProps) {
  const title = hint === undefined ? name : `${name} (${hint})`;
  return <button type={type} className={`icon-btn ${className}`} aria-label={name} title={title} {...rest} />;
}
